// What a page needs; each part looks by itself whether it is on the page.
import './live.js';
import './map.js';
import './push.js';

// After a refused form the reader begins at what is wrong.
document.getElementById('wrong')?.focus();
