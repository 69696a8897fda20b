// Sorting, filtering, the theme and the place in the address. The page is complete without.
(() => {
'use strict';
const all = (from, what) => [...from.querySelectorAll(what)];
const make = (name, text, set) => Object.assign(document.createElement(name), {textContent: text}, set);
const collator = new Intl.Collator('en', {numeric: true});
const FEW = 8, SHOWN = 50;

// The fragment: "#PLACE" or "#PLACE?theme=dark&filter=TABLE:TEXT".
const state = () => new URLSearchParams(location.hash.split('?')[1] || '');
const place = () => decodeURIComponent(location.hash.slice(1).split('?')[0]);
function keep(key, value) {
	const s = state();
	if (value) s.set(key, value); else s.delete(key);
	const query = s.toString();
	try { history.replaceState(null, '', '#' + place() + (query ? '?' + query : '')); } catch { /* as in a frame */ }
}

// ---- theme ----
function theme(name) {
	if (name) document.documentElement.dataset.theme = name;
	else delete document.documentElement.dataset.theme;
}
function addTheme() {
	const dark = () => document.documentElement.dataset.theme
		? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
	const button = make('button', 'light / dark', {type: 'button', className: 'theme'});
	button.onclick = () => { const to = dark() ? 'light' : 'dark'; theme(to); keep('theme', to); };
	document.querySelector('header').append(button);
}

// ---- tables ----
const value = (row, column) => {
	const cell = row.cells[column];
	return 'v' in cell.dataset ? Number(cell.dataset.v) : cell.classList.contains('n') ? NaN : cell.textContent;
};
function compare(a, b) {
	if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
	return Number.isNaN(a) || Number.isNaN(b) ? 0 : a - b;
}
function sort(table, header) {
	const down = header.getAttribute('aria-sort') === 'ascending', column = header.cellIndex;
	const known = row => { const v = value(row, column); return typeof v === 'string' || !Number.isNaN(v); };
	const rows = all(table, 'tbody tr'), sorted = rows.filter(known)
		.sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1))
		.concat(rows.filter(row => !known(row)));
	all(table, 'th[aria-sort]').forEach(th => th.removeAttribute('aria-sort'));
	header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
	sorted.forEach((row, i) => table.tBodies[i < SHOWN || !table.tBodies[1] ? 0 : 1].append(row));
}
function filter(box, text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	let hits = 0;
	for (const row of all(box, 'tbody tr')) {
		const shown = words.every(word => row.textContent.toLowerCase().includes(word));
		row.hidden = !shown;
		hits += shown;
	}
	box.classList.toggle('filtered', words.length > 0);
	return hits;
}
function addFilter(box) {
	const caption = box.querySelector('caption').textContent;
	const input = make('input', '', {type: 'search', placeholder: 'filter', className: 'filter'});
	const count = make('output', '');
	const apply = () => {
		const hits = filter(box, input.value);
		count.textContent = input.value ? ` ${hits} of ${all(box, 'tbody tr').length}` : '';
	};
	input.setAttribute('aria-label', 'filter: ' + caption);
	input.oninput = () => { apply(); keep('filter', input.value && box.id + ':' + input.value); };
	const line = make('p', '', {className: 'tools'});
	line.append(input, count);
	box.before(line);
	return text => { input.value = text; apply(); };
}
const filters = new Map();
for (const box of all(document, '.table:not(.data)')) {
	const table = box.querySelector('table');
	if (table.querySelectorAll('tbody tr').length < 2) continue;
	for (const header of all(table, 'thead th')) {
		const button = make('button', header.textContent, {type: 'button'});
		button.onclick = () => sort(table, header);
		header.replaceChildren(button);
	}
	if (table.querySelectorAll('tbody tr').length > FEW) filters.set(box.id, addFilter(box));
}

// ---- the place in the address; keys ----
function go() {
	const s = state(), [id, ...text] = (s.get('filter') || '').split(':'), target = document.getElementById(place());
	theme(s.get('theme'));
	if (filters.has(id)) filters.get(id)(text.join(':'));
	for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
	if (target && target.tagName === 'DETAILS') target.open = true;
	if (target) target.scrollIntoView();
}
addEventListener('hashchange', go);
addEventListener('keydown', event => {
	const box = document.querySelector('.filter');
	if (event.key === '/' && box && event.target === document.body) { event.preventDefault(); box.focus(); }
});
addEventListener('beforeprint', () => all(document, 'details:not(.data)').forEach(d => { d.open = true; }));
addTheme();
if (location.hash) go();
})();
