// Shows what stormbell pushes, and opens the place it is about. Asks nothing of any other host, and keeps nothing.

const LOUD = ['significant', 'extreme'];

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data));
});

// Something is shown whatever came: a notice that is not understood is still a notice.
function show(data) {
  let said = null;
  try {
    said = data?.json();
  } catch {
    said = null;
  }
  if (typeof said?.title !== 'string') {
    return self.registration.showNotification('stormbell has news of your places', {
      body: 'This browser could not read it. Open the page to see how they stand.',
      tag: 'stormbell-unread',
      icon: '/assets/icon-192.png',
      badge: '/assets/badge.png',
      data: { url: '/' },
    });
  }
  const isLoud = LOUD.includes(said.level) && !said.test;
  return self.registration.showNotification(said.title, {
    body: said.body ?? '',
    // A retry of the same delivery replaces it, and rings no second time.
    tag: said.tag ?? '',
    icon: '/assets/icon-192.png',
    badge: '/assets/badge.png',
    timestamp: Date.parse(said.at) || Date.now(),
    requireInteraction: isLoud,
    vibrate: isLoud ? [400, 150, 400, 150, 800] : [200],
    lang: 'en',
    data: { url: inside(said.url), points: said.points ?? [] },
  });
}

// A path of this site, whatever the notice says.
function inside(url) {
  try {
    const full = new URL(url ?? '/', self.location.origin);
    return full.origin === self.location.origin ? full.pathname + full.search : '/';
  } catch {
    return '/';
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.url ?? '/'));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = pages.find((page) => new URL(page.url).pathname === url);
  if (there) return there.focus();
  return self.clients.openWindow(url);
}

// The push service renewed the subscription by itself: the server learns of it, and forgets the old one.
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event));
});

async function renew(event) {
  const old = event.oldSubscription;
  const options = old?.options ?? { userVisibleOnly: true, applicationServerKey: await key() };
  const held = event.newSubscription ?? (await self.registration.pushManager.subscribe(options));
  const { endpoint, keys } = held.toJSON();
  await fetch('/api/browsers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, keys, label: '', replaces: old?.endpoint }),
  });
}

async function key() {
  const answer = await fetch('/api/push');
  const text = (await answer.json()).vapid_public_key;
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (one) => one.charCodeAt(0));
}
