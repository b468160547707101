// Tabs that follow the pattern of the ARIA guide: arrow keys move among them, and only the chosen
// one is reached with Tab.

import { el } from './dom.js';

let lastNumber = 0;

/// Makes tabs. `tabs` are objects with `name`, `key`, which the tooltip names, and `fill(content)`,
/// which is called when a tab is shown for the first time and after `refresh`, and may return a promise.
/// `show(content)` is called each time. `chosen` is called with each choice of the user.
export function makeTabs(label, tabs, first, chosen = () => {}) {
  const number = ++lastNumber;
  const panel = el('div', { class: 'panel', role: 'tabpanel', id: `panel-${number}`, tabIndex: 0 });
  const filled = new Map();
  let current = null;
  const buttons = tabs.map((tab, index) => el('button', {
    type: 'button', role: 'tab', id: `tab-${number}-${index}`, 'aria-controls': panel.id,
    title: tab.key ? `${tab.name} (${tab.key})` : undefined, on: { click: () => take(tab.name) },
  }, tab.name));
  const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': label, on: { keydown: move } }, buttons);

  function choose(name) {
    const index = Math.max(0, tabs.findIndex((tab) => tab.name === name));
    buttons.forEach((button, place) => {
      button.setAttribute('aria-selected', String(place === index));
      button.tabIndex = place === index ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', buttons[index].id);
    requestAnimationFrame(() => buttons[index].scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    current = tabs[index];
    draw();
  }

  /// The new content of a tab, and what `fill` returned.
  function fill(tab) {
    const content = el('div', { class: `content ${tab.name.toLowerCase()}` });
    filled.set(tab, content);
    return { content, whole: tab.fill(content) };
  }

  function draw() {
    const content = filled.get(current) ?? fill(current).content;
    current.show?.(content);
    if (panel.firstChild !== content) panel.replaceChildren(content);
  }

  /// What is shown has changed: tabs are filled again, those that follow by themselves are told. What
  /// was there stays until the new content is whole.
  async function refresh() {
    const tab = current;
    for (const other of filled.keys()) if (!other.follows && other !== tab) filled.delete(other);
    if (tab.follows) return draw();
    const { content, whole } = fill(tab);
    await whole;
    if (current !== tab || filled.get(tab) !== content) return;
    const place = panel.scrollTop;
    panel.replaceChildren(content);
    panel.scrollTop = place;
  }

  function take(name) {
    choose(name);
    chosen(name);
  }

  function move(event) {
    const at = buttons.indexOf(document.activeElement);
    const places = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 };
    if (at < 0 || !(event.key in places)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (places[event.key] + tabs.length) % tabs.length;
    take(tabs[next].name);
    buttons[next].focus();
  }

  choose(first);
  return { list, panel, choose: take, show: choose, refresh, get current() { return current.name; } };
}
