// The map: moving, zooming, marking a place, and what lies on it.

import { say } from './live.js';

const LAYERS_AFTER_MS = 10_000; // evidence does not change faster than that
const SETTLED_MS = 300;
const STEP = 0.25; // of the window, with an arrow key
const ZOOM = 1.6;
const CLICK_PX = 5; // less is a click, more is a drag

const map = document.getElementById('map');
if (map) start();

function start() {
  const numbers = (text) => text.split(' ').map(Number);
  const [n, fKm, lon0, midX, midY, perKm] = numbers(map.dataset.cone);
  const [sizeX, sizeY] = numbers(map.dataset.size);
  const pane = document.getElementById('map-pane');
  const sheet = document.getElementById('map-sheet');
  const overlay = document.getElementById('map-overlay');
  const box = (text) => { const [x, y, w, h] = numbers(text); return { x, y, w, h }; };
  const aspect = box(map.dataset.nation).w / box(map.dataset.nation).h;
  const narrowest = Number(map.dataset.narrowest);
  let view = box(map.dataset.home);
  let settled = 0;
  let scans = null;
  let drawn = '';
  let layersAt = -Infinity;
  let pin = null;

  // Lambert's conformal conic, turned round (Snyder 1987, page 107).
  function place(x, y) {
    const xKm = (x - sizeX / 2) / perKm + midX;
    const yKm = midY - (y - sizeY / 2) / perKm;
    const rho = Math.hypot(xKm, yKm);
    const theta = Math.atan2(xKm, -yKm);
    const lat = 2 * Math.atan((fKm / rho) ** (1 / n)) - Math.PI / 2;
    return { lat: (lat * 180) / Math.PI, lon: lon0 + ((theta / n) * 180) / Math.PI };
  }

  function look(next, isSettled = false) {
    const w = Math.min(Math.max(next.w, narrowest), sizeX);
    const h = w / aspect;
    const held = (value, low, high) => Math.min(Math.max(value, low), high);
    view = { w, h, x: held(next.x, -w / 2, sizeX - w / 2), y: held(next.y, -h / 2, sizeY - h / 2) };
    sheet.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
    marks();
    clearTimeout(settled);
    settled = setTimeout(drawOverlay, isSettled ? 0 : SETTLED_MS);
  }

  // Dots and names keep their size on the screen. A name that would lie over another stands to the left, or without its level,
  // or is left out, the highest levels first; the list has them all.
  function marks() {
    const scale = view.w / pane.clientWidth;
    for (const spot of sheet.querySelectorAll('.spot[data-x]')) {
      spot.setAttribute('transform', `translate(${spot.dataset.x} ${spot.dataset.y}) scale(${scale})`);
    }
    const frame = pane.getBoundingClientRect();
    const box = (part) => part.getBoundingClientRect();
    const meets = (own) => (other) => own.left < other.right && other.left < own.right && own.top < other.bottom && other.top < own.bottom;
    const isInside = (own) => own.left >= frame.left && own.right <= frame.right && own.top >= frame.top && own.bottom <= frame.bottom;
    const taken = [box(document.querySelector('.zoom'))];
    const points = [...sheet.querySelectorAll('#map-points a')].reverse();
    const dots = points.map((point) => box(point.querySelector('.dot')));
    points.forEach((point, number) => {
      const label = point.querySelector('.label');
      label.dataset.whole ??= label.textContent;
      const others = dots.filter((_, other) => other !== number);
      const fits = [label.dataset.whole, label.dataset.name].some((words) => ['start', 'end'].some((side) => {
        label.textContent = words;
        label.setAttribute('text-anchor', side);
        label.setAttribute('x', side === 'start' ? 14 : -14);
        const own = box(label);
        if (!isInside(own) || [...taken, ...others].some(meets(own))) return false;
        taken.push(own);
        return true;
      }));
      label.classList.toggle('off', !fits);
    });
    for (const name of sheet.querySelectorAll('#map-states text')) {
      const own = box(name);
      name.classList.toggle('off', !isInside(own) || [...taken, ...dots].some(meets(own)));
      if (!name.classList.contains('off')) taken.push(own);
    }
    rule();
  }

  // A bar of a round number of miles.
  function rule() {
    const perMile = (perKm * 1.609344 * pane.clientWidth) / view.w;
    const miles = [500, 200, 100, 50, 20, 10, 5].find((one) => one * perMile <= Math.min(110, pane.clientWidth / 5.5)) ?? 5;
    const bar = document.getElementById('map-scale');
    bar.hidden = false;
    bar.querySelector('.bar').style.width = `${miles * perMile}px`;
    bar.querySelector('.word').textContent = `${miles} mi`;
  }

  async function drawOverlay() {
    if (scans === null) return;
    const { x, y, w, h } = view;
    const href = `/map/overlay.png?x=${x.toFixed(1)}&y=${y.toFixed(1)}&w=${w.toFixed(1)}&v=${scans}`;
    if (href === drawn) return;
    drawn = href;
    const picture = new Image();
    picture.src = href;
    try {
      await picture.decode();
    } catch {
      if (href === drawn) missing('Radar could not be read; what is drawn of it may be old.');
      return;
    }
    // Overtaken by another move meanwhile.
    if (href !== drawn) return;
    overlay.setAttribute('href', href);
    for (const [name, value] of Object.entries({ x, y, width: w, height: h })) overlay.setAttribute(name, value);
  }

  async function layers() {
    if (performance.now() - layersAt < LAYERS_AFTER_MS) return;
    layersAt = performance.now();
    try {
      const answer = await fetch('/map/layers', { cache: 'no-store', redirect: 'error' });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const id of ['map-outlook', 'map-warnings']) {
        document.getElementById(id).replaceChildren(...document.importNode(fresh.getElementById(id), true).childNodes);
      }
      const legend = document.getElementById('map-legend');
      const isOpen = new Map([...legend.querySelectorAll('details[id]')].map((one) => [one.id, one.open]));
      const next = document.importNode(fresh.getElementById('map-legend'), true);
      for (const one of next.querySelectorAll('details[id]')) if (isOpen.has(one.id)) one.open = isOpen.get(one.id);
      legend.replaceWith(next);
      scans = next.dataset.scans;
      await drawOverlay();
    } catch {
      layersAt = -Infinity;
      missing('Warnings, outlook and radar could not be read; what is drawn of them may be old.');
    }
  }

  // An empty or old map must not read as a quiet one.
  function missing(words) {
    const legend = document.getElementById('map-legend');
    let note = legend.querySelector('.missing');
    if (!note) {
      note = document.createElement('p');
      note.className = 'missing';
      legend.prepend(note);
    }
    note.textContent = words;
  }

  function zoom(times, middle = { x: view.x + view.w / 2, y: view.y + view.h / 2 }) {
    const w = Math.min(Math.max(view.w / times, narrowest), sizeX);
    const part = w / view.w;
    look({ w, x: middle.x - (middle.x - view.x) * part, y: middle.y - (middle.y - view.y) * part });
  }

  function move(right, down) {
    look({ ...view, x: view.x + right * view.w, y: view.y + down * view.h });
  }

  function onSheet(event) {
    const frame = sheet.getBoundingClientRect();
    return {
      x: view.x + ((event.clientX - frame.left) / frame.width) * view.w,
      y: view.y + ((event.clientY - frame.top) / frame.height) * view.h,
    };
  }

  function mark(spot) {
    if (!map.dataset.marks) return;
    const { lat, lon } = place(spot.x, spot.y);
    const words = `${lat.toFixed(4)}, ${lon.toFixed(4)}`;
    const field = document.getElementById('place');
    field.value = words;
    pin = document.getElementById('map-pin');
    pin.removeAttribute('hidden');
    Object.assign(pin.firstElementChild.dataset, { x: spot.x, y: spot.y });
    marks();
    const here = document.getElementById('map-here');
    here.hidden = false;
    here.querySelector('span').textContent = `Marked: ${words}.`;
    say(`Marked ${words}. The form below holds it.`);
  }

  const pointers = new Map();
  let began = null;
  pane.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, event);
    began = pointers.size === 1 ? { at: event, isDrag: false } : { ...began, isDrag: true };
  });
  pane.addEventListener('pointermove', (event) => {
    const last = pointers.get(event.pointerId);
    if (!last || !began) return;
    const far = Math.hypot(event.clientX - began.at.clientX, event.clientY - began.at.clientY);
    if (far > CLICK_PX && !began.isDrag) {
      began.isDrag = true;
      pane.setPointerCapture(event.pointerId);
    }
    if (!began.isDrag) return;
    const px = view.w / pane.clientWidth;
    const others = [...pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    const part = 1 / (others.length + 1);
    look({ ...view, x: view.x - (event.clientX - last.clientX) * px * part, y: view.y - (event.clientY - last.clientY) * px * part });
    if (others.length === 1) {
      const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      const middle = { clientX: (event.clientX + others[0].clientX) / 2, clientY: (event.clientY + others[0].clientY) / 2 };
      if (apart(last) > 10) zoom(apart(event) / apart(last), onSheet(middle));
    }
    pointers.set(event.pointerId, event);
  });
  for (const name of ['pointerup', 'pointercancel']) {
    pane.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
    });
  }
  pane.addEventListener('click', (event) => {
    if (began?.isDrag) { event.preventDefault(); return; }
    if (event.target.closest('#map-points a')) return;
    mark(onSheet(event));
  });
  // The wheel belongs to the page; with Ctrl, as everywhere, it zooms.
  pane.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, onSheet(event));
  }, { passive: false });
  const keys = {
    ArrowLeft: () => move(-STEP, 0), ArrowRight: () => move(STEP, 0), ArrowUp: () => move(0, -STEP), ArrowDown: () => move(0, STEP),
    '+': () => zoom(ZOOM), '=': () => zoom(ZOOM), '-': () => zoom(1 / ZOOM),
    Enter: () => mark({ x: view.x + view.w / 2, y: view.y + view.h / 2 }),
  };
  pane.addEventListener('keydown', (event) => {
    if (event.target !== pane || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const buttons = {
    'map-in': () => zoom(ZOOM), 'map-out': () => zoom(1 / ZOOM),
    'map-places': () => look(box(map.dataset.home)), 'map-nation': () => look(box(map.dataset.nation)),
  };
  for (const [id, act] of Object.entries(buttons)) document.getElementById(id).addEventListener('click', act);

  new ResizeObserver(() => marks()).observe(pane);
  document.addEventListener('stormbell:read', () => { marks(); layers(); });
  marks();
  layers();
}
