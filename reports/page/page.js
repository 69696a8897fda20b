// Sorting, the filter, copying, the theme and the place in the address. The page is complete without.
(() => {
'use strict';
const all = (from, what) => [...from.querySelectorAll(what)];
const make = (name, text, set) => Object.assign(document.createElement(name), {textContent: text}, set);
const collator = new Intl.Collator('en', {numeric: true});
const SHOWN = 50;

// The fragment: "#PLACE" or "#PLACE?theme=dark&filter=TEXT"; "?all" unfolds all for paper.
const state = () => new URLSearchParams(location.hash.split('?')[1] || '');
function place() {
	const text = location.hash.slice(1).split('?')[0];
	try { return decodeURIComponent(text); } catch { return text; } // a lone "%"
}
function keep(key, value) {
	const s = state();
	if (value) s.set(key, value); else s.delete(key);
	const query = s.toString();
	try { history.replaceState(null, '', '#' + place() + (query ? '?' + query : '')); } catch { /* as in a frame */ }
}
const header = document.querySelector('header');
const tools = header.appendChild(make('div', '', {className: 'tools'}));

// ---- theme ----
function theme(name) {
	if (name) document.documentElement.dataset.theme = name;
	else delete document.documentElement.dataset.theme;
}
function addTheme() {
	const dark = () => document.documentElement.dataset.theme
		? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
	const button = make('button', '◐', {type: 'button', className: 'theme', title: 'light or dark'});
	button.setAttribute('aria-label', 'light or dark');
	button.onclick = () => { const to = dark() ? 'light' : 'dark'; theme(to); keep('theme', to); };
	tools.append(button);
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
	all(table, 'caption .order').forEach(order => { order.hidden = true; }); // which is not that of the rows any more
	header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
	sorted.forEach((row, i) => table.tBodies[i < SHOWN || !table.tBodies[1] ? 0 : 1].append(row));
}
for (const table of all(document, '.table:not(.data) > table')) {
	if (table.querySelectorAll('tbody tr').length < 2) continue;
	for (const header of all(table, 'thead th')) {
		const button = make('button', header.textContent, {type: 'button'});
		button.onclick = () => sort(table, header);
		header.replaceChildren(button);
	}
}

// ---- one filter for the page: rows of tables, cards, histories ----
const items = all(document, '.table:not(.data) > table > tbody > tr, .nights > tbody > tr, .card, .item');
const rows = all(document, '#best-all tbody tr'), cards = all(document, '#runs .card'); // a kernel may be in one of them alone
const kernels = rows.length < cards.length ? cards : rows, counted = kernels.length ? kernels : items;
const input = make('input', '', {type: 'search', placeholder: 'filter', className: 'filter', title: 'words that rows and cards must have'});
const count = make('output', '');
const whole = all(document, 'main section').filter(s => s.querySelector('figure') && !items.some(item => s.contains(item)))
	.map(s => s.appendChild(make('p', 'Not filtered: the picture has all kernels.', {className: 'note', hidden: true})));

// Hides headings, tables and sections of which nothing is left.
function hideEmpty() {
	const empty = list => list.length > 0 && list.every(e => e.hidden);
	for (const section of all(document, 'main section')) section.hidden = empty(items.filter(item => section.contains(item)));
	for (const box of all(document, '.table:not(.data), .nights')) box.hidden = empty(all(box, 'tbody tr'));
	for (const heading of all(document, 'main section > h3')) {
		const below = [];
		for (let e = heading.nextElementSibling; e && e.tagName !== 'H3'; e = e.nextElementSibling) if (items.includes(e)) below.push(e);
		heading.hidden = empty(below);
	}
}
function filter(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	for (const item of items) {
		const name = (item.matches('tr') ? item : item.querySelector('h3, summary') || item).textContent.toLowerCase();
		item.hidden = !words.every(word => name.includes(word));
	}
	hideEmpty();
	whole.forEach(note => { note.hidden = !words.length; });
	all(document, '.table').forEach(box => box.classList.toggle('filtered', words.length > 0));
	count.textContent = words.length
		? ` ${counted.filter(e => !e.hidden).length} of ${counted.length} ${kernels.length ? 'kernels' : 'rows'}` : '';
}
function addFilter() {
	input.setAttribute('aria-label', 'filter rows and cards');
	input.oninput = () => { filter(input.value); keep('filter', input.value); };
	tools.append(input, count);
}

// ---- copying ----
for (const code of all(document, 'code.copy')) {
	const text = code.title || code.textContent; // a long one is cut where it is shown
	const button = make('button', 'copy', {type: 'button'});
	button.setAttribute('aria-label', 'copy ' + text.slice(0, 80));
	button.onclick = () => {
		const done = () => { button.textContent = 'copied'; setTimeout(() => { button.textContent = 'copy'; }, 1500); };
		const select = () => { code.textContent = text; getSelection().selectAllChildren(code); };
		if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
		else select();
	};
	code.after(' ', button);
}

// ---- the place in the address; keys ----
function go() {
	const s = state(), target = document.getElementById(place());
	theme(s.get('theme'));
	input.value = s.get('filter') || '';
	filter(input.value);
	for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
	if (target) target.scrollIntoView();
}
// Of histories that are wider than the screen the newest nights are in sight.
const newest = () => all(document, '#history figure').forEach(f => { f.scrollLeft = f.scrollWidth; });
newest();
all(document, '#history details').forEach(d => d.addEventListener('toggle', newest));
addEventListener('hashchange', go);
addEventListener('keydown', event => {
	if (event.key === '/' && event.target === document.body) { event.preventDefault(); input.focus(); }
});
addEventListener('beforeprint', () => { if (state().has('all')) all(document, 'details').forEach(d => { d.open = true; }); });
if (items.length > 8) addFilter();
addTheme();
if (location.hash) go();
})();
