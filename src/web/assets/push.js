// Push in this browser: on and off, and what stands in the way.

const card = document.getElementById('push');
if (card) start();

async function start() {
  const words = document.getElementById('push-state');
  const on = document.getElementById('push-on');
  const off = document.getElementById('push-off');

  function show(text, isOn) {
    words.textContent = text;
    on.hidden = isOn !== false;
    off.hidden = isOn !== true;
  }

  const lacks = missing();
  if (lacks) { show(lacks, null); return; }

  // The worker stands ready before it is asked for, so that a notification of old can be opened too.
  let registration;
  try {
    registration = await navigator.serviceWorker.register('/sw.js');
  } catch (error) {
    show(`This browser refuses the page's service worker: ${error.message}`, null);
    return;
  }

  async function look() {
    if (Notification.permission === 'denied') {
      show('This browser refuses notifications from stormbell. Allow them in its site settings, then come back.', null);
      return;
    }
    const held = await registration.pushManager.getSubscription();
    if (!held) { show('Push is off in this browser.', false); return; }
    // Told again each time: it costs nothing, and repairs a server that has lost it.
    try {
      await hand(held);
      show('Push is on in this browser.', true);
    } catch (error) {
      show(`Push is on in this browser, but stormbell does not know of it: ${error.message}`, true);
    }
  }

  on.addEventListener('click', async () => {
    on.disabled = true;
    try {
      const permission = await Notification.requestPermission();
      if (permission !== 'granted') {
        show(permission === 'denied' ? 'This browser refuses notifications from stormbell. Allow them in its site settings.' : 'Push is off: the question was not answered.', permission === 'denied' ? null : false);
        return;
      }
      await navigator.serviceWorker.ready;
      const held = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(card.dataset.key) });
      await hand(held);
      show('Push is on in this browser. Send a test from a place’s page to try it.', true);
      await listAnew();
    } catch (error) {
      show(`Push could not be turned on: ${error.message}`, false);
    } finally {
      on.disabled = false;
    }
  });

  off.addEventListener('click', async () => {
    off.disabled = true;
    try {
      const held = await registration.pushManager.getSubscription();
      if (held) {
        await asked('DELETE', { endpoint: held.endpoint });
        await held.unsubscribe();
      }
      show('Push is off in this browser.', false);
      await listAnew();
    } catch (error) {
      show(`Push could not be turned off: ${error.message}`, true);
    } finally {
      off.disabled = false;
    }
  });

  await look();
}

// Why there is no push here, for a person; nothing where there is.
function missing() {
  if (!window.isSecureContext) {
    return 'Push needs https, or stormbell on this very machine: this page was loaded over plain http.';
  }
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) {
    const isApple = /iPhone|iPad/.test(navigator.userAgent);
    return isApple
      ? 'On an iPhone or iPad push works from the home screen: share this page, choose “Add to Home Screen”, and open it there.'
      : 'This browser does not take push.';
  }
  return null;
}

function bytes(base64url) {
  const plain = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (one) => one.charCodeAt(0));
}

function hand(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  return asked('POST', { endpoint, keys, label: label() });
}

async function asked(method, body) {
  const answer = await fetch('/api/browsers', { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error?.message ?? `status ${answer.status}`);
  return said;
}

// "Firefox on Linux": for the owner's list.
function label() {
  const agent = navigator.userAgent;
  const of = (pairs) => pairs.find(([mark]) => agent.includes(mark))?.[1];
  const browser = of([['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']]) ?? 'A browser';
  const system = of([['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS', 'Mac'], ['CrOS', 'ChromeOS'], ['Linux', 'Linux']]);
  return system ? `${browser} on ${system}` : browser;
}

async function listAnew() {
  const answer = await fetch(location.pathname, { cache: 'no-store' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('browsers');
  if (fresh) document.getElementById('browsers').replaceWith(document.importNode(fresh, true));
}
