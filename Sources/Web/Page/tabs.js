// Tabs that follow the pattern of the ARIA guide: arrow keys move among them, and only the chosen
// one is reached with Tab.

import { el } from './dom.js';

let lastNumber = 0;

/// Makes tabs. `tabs` are objects with `name` and `fill(panel)`, which is called when a tab is
/// shown for the first time, and `key`, which its tooltip names. `chosen` is called with each
/// choice of the user: a tab that is missing this time may be there the next time.
export function makeTabs(label, tabs, first, chosen = () => {}) {
  const number = ++lastNumber;
  const panel = el('div', { class: 'panel', role: 'tabpanel', id: `panel-${number}`, tabIndex: 0 });
  const filled = new Map();
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
    const tab = tabs[index];
    if (!filled.has(tab.name)) {
      const content = el('div', { class: `content ${tab.name.toLowerCase()}` });
      filled.set(tab.name, content);
      tab.fill(content);
    }
    panel.replaceChildren(filled.get(tab.name));
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
  return { list, panel, choose: take };
}
