// Keeps a page true. It is live only while the server is heard and what is shown has been read anew; otherwise it says so,
// and every level turns to the past.

const LOST_AFTER_MS = 40_000; // the server beats every 15 s
const READ_EVERY_MS = 60_000; // ages grow, also when no level moves
const READ_AFTER_MS = 250; // one storm changes many places at once
const RESTING_AFTER_MS = 60_000; // hidden that long, the line is let go
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
const SAY_LOST_AFTER_MS = 5_000; // spoken only when it lasts
const HELLO_WITHIN_MS = 5_000; // a page is not lost before it could have heard anything,
const FIRST_READ_WITHIN_MS = 15_000; // nor before what it was sent to read could have come: long lists are large

const RANKS = ['none', 'marginal', 'elevated', 'significant', 'extreme'];

const line = document.getElementById('line');
const spoken = document.getElementById('said');
const title = document.title;

export function say(words) {
  spoken.textContent = '';
  // Emptied first, so that the same words are spoken again.
  requestAnimationFrame(() => { spoken.textContent = words; });
}

let source = null;
let heardWall = 0; // two clocks: one stands still while a machine sleeps, the other can be set back
let heardSteady = 0;
let shownUtc = line?.dataset.now; // as of when the page shows what it shows
let isRead = false; // what is shown was read since the line stands
let wasLive = false; // since this page was opened
const openedSteady = performance.now();
let tries = 0;
let retry = 0;
let reading = null;
let again = false;
let wanted = 0;
let resting = 0;
let lostSince = 0;
let saidLost = false;
let isCut = false; // the browser itself says that it has no network

function silentMs() {
  return Math.max(Date.now() - heardWall, performance.now() - heardSteady);
}

function heard() {
  isCut = false;
  heardWall = Date.now();
  heardSteady = performance.now();
}

function clock(utc) {
  const at = new Date(utc);
  const local = at.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });
  return `${local} (${at.toISOString().slice(11, 16)}Z)`;
}

function state(now, strong, words) {
  document.documentElement.dataset.line = now;
  line.dataset.line = now;
  const put = (id, text) => {
    const part = document.getElementById(id);
    if (part.textContent !== text) part.textContent = text;
  };
  put('line-state', strong);
  put('line-words', words);
  const highest = Math.max(-1, ...[...document.querySelectorAll('[data-point]')].map((one) => RANKS.indexOf(one.dataset.level)));
  const level = highest > 0 ? `${RANKS[highest]} · ` : '';
  document.title = now === 'live' ? level + title : `not live · ${title}`;
}

function show() {
  if (isRead && source && !isCut && silentMs() < LOST_AFTER_MS) {
    if (saidLost) say('Connected again.');
    lostSince = 0;
    saidLost = false;
    wasLive = true;
    state('live', 'Live.', `As of ${clock(shownUtc)}.`);
    return;
  }
  if (!lostSince) {
    // Until it has been live once it is not lost, but not live either; a line that fails is, at once.
    const patience = heardWall ? FIRST_READ_WITHIN_MS : HELLO_WITHIN_MS;
    if (!wasLive && source && !isCut && performance.now() - openedSteady < patience) return;
    lostSince = performance.now();
  }
  const minutes = Math.floor(silentMs() / 60_000);
  const old = heardWall && minutes > 0 ? `, ${minutes} min ago` : '';
  state('lost', 'Not live: no connection to stormbell.',
    `What you see is of ${clock(shownUtc)}${old}. Levels may be higher now. Trying again…`);
  if (!saidLost && performance.now() - lostSince > SAY_LOST_AFTER_MS) {
    saidLost = true;
    say('No connection to stormbell. What is shown is old, and levels may be higher now.');
  }
}

function connect() {
  clearTimeout(retry);
  source?.close();
  source = new EventSource('/events');
  const on = (name, act) => source.addEventListener(name, (event) => { heard(); tries = 0; act(JSON.parse(event.data)); show(); });
  on('hello', () => read());
  on('point', () => readSoon());
  on('list', () => readSoon());
  on('beat', (said) => { if (isRead) shownUtc = said.now_utc; });
  source.addEventListener('error', () => {
    // The browser tries by itself in most cases; not after a refusal, and not always soon.
    source?.close();
    source = null;
    isRead = false;
    const wait = RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)];
    retry = setTimeout(connect, wait);
    show();
    // Whether it is the line, or we are signed out.
    read();
  });
}

function readSoon() {
  clearTimeout(wanted);
  wanted = setTimeout(read, READ_AFTER_MS);
}

// Reads the page anew and puts what is live in place of what was there.
async function read() {
  if (reading) { again = true; return; }
  reading = (async () => {
    const answer = await fetch(location.href, { cache: 'no-store', redirect: 'error' });
    if (answer.status === 401 || answer.status === 404) { gone(answer.status); return; }
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const before = words(document);
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = fresh.getElementById(part.id);
      if (next) replace(part, next);
    }
    shownUtc = fresh.getElementById('line')?.dataset.now ?? shownUtc;
    isRead = source !== null;
    tell(before, words(document));
    document.dispatchEvent(new CustomEvent('stormbell:read'));
  })();
  try {
    await reading;
  } catch {
    isRead = false;
    if (source) setTimeout(readSoon, 3_000);
  } finally {
    reading = null;
    if (again) { again = false; readSoon(); }
    show();
  }
}

// Not ours to read any more: signed out elsewhere, or removed.
function gone(status) {
  source?.close();
  clearTimeout(retry);
  clearInterval(ticking);
  source = null;
  const words = status === 401 ? 'You are signed out. Load the page again to sign in.' : 'This place is not watched any more.';
  state('lost', 'Not live.', words);
  say(words);
}

function words(root) {
  return new Map([...root.querySelectorAll('[data-point]')].map((one) => [one.dataset.point, one.dataset]));
}

// What moved, for those who do not see it.
function tell(before, after) {
  const moved = [];
  for (const [id, now] of after) {
    const then = before.get(id);
    if (then && then.words !== now.words) moved.push(`${now.name}: ${now.words}, was ${then.words}.`);
    if (!then && before.size) moved.push(`${now.name} is watched: ${now.words}.`);
  }
  if (moved.length) say(moved.slice(0, 5).join(' '));
}

function key(element) {
  return element.id || `${element.tagName} ${element.getAttribute('href') ?? element.form?.action ?? ''} ${element.value ?? ''} ${element.textContent}`;
}

// The reader's place is kept: focus, and what was opened.
function replace(part, next) {
  const isOpen = new Map([...part.querySelectorAll('details[id]')].map((one) => [one.id, one.open]));
  const focused = part.contains(document.activeElement) ? key(document.activeElement) : null;
  const fresh = document.importNode(next, true);
  for (const one of fresh.querySelectorAll('details[id]')) {
    if (isOpen.has(one.id)) one.open = isOpen.get(one.id);
  }
  part.replaceWith(fresh);
  if (focused) {
    const same = [...fresh.querySelectorAll('a, button, summary, input')].find((one) => key(one) === focused);
    same?.focus({ preventScroll: true });
  }
}

let ticking = 0;

function hide() {
  if (document.hidden) {
    // A hidden page holds no connection for long: browsers have few of them for one host.
    resting = setTimeout(() => {
      source?.close();
      source = null;
      isRead = false;
      clearTimeout(retry);
      show();
    }, RESTING_AFTER_MS);
    return;
  }
  clearTimeout(resting);
  if (!source) connect();
}

if (line) {
  connect();
  ticking = setInterval(show, 1_000);
  setInterval(() => { if (source && !document.hidden) read(); }, READ_EVERY_MS);
  document.addEventListener('visibilitychange', hide);
  // Back from the history: what is shown may be of yesterday.
  addEventListener('pageshow', (event) => { if (event.persisted) { isRead = false; show(); connect(); } });
  addEventListener('pagehide', () => { source?.close(); source = null; isRead = false; });
  addEventListener('offline', () => { isCut = true; show(); });
  addEventListener('online', connect);
}
