// Actions whose modules are read when they are first used, so that the list is there sooner.

import { notify } from './notices.js';

const door = (load, name) => async (...values) => {
  let module;
  try {
    module = await load();
  } catch {
    return notify('proxyctl web does not answer: this part of the page cannot be loaded', { kind: 'bad' });
  }
  return module[name](...values);
};

export const openHelp = door(() => import('./help.js'), 'openHelp');
export const openImport = door(() => import('./import-panel.js'), 'openImport');
export const openExport = door(() => import('./dialog-export.js'), 'openExport');
export const openClear = door(() => import('./dialog-clear.js'), 'openClear');
export const openColumns = door(() => import('./dialog-columns.js'), 'openColumns');
export const openSort = door(() => import('./sort-menu.js'), 'openSort');
export const reverseSort = door(() => import('./sort-menu.js'), 'reverseSort');
export const openSavedFilters = door(() => import('./saved-filters-menu.js'), 'openSavedFilters');
export const openComposer = door(() => import('./composer.js'), 'openComposer');
export const openCompare = door(() => import('./compare-view.js'), 'openCompare');
export const compareMarked = door(() => import('./diff-view.js'), 'compareMarked');
export const editNote = door(() => import('./annotations.js'), 'editNote');
export const editTags = door(() => import('./annotations.js'), 'editTags');
export const togglePin = door(() => import('./annotations.js'), 'togglePin');
export const deleteExchanges = door(() => import('./delete-exchanges.js'), 'deleteExchanges');
export const copyAs = door(() => import('./copy-menu.js'), 'copyAs');
export const replay = door(() => import('./send-actions.js'), 'replay');
export const editAndSend = door(() => import('./send-actions.js'), 'editAndSend');
export const breakOn = door(() => import('./rule-actions.js'), 'breakOn');
export const openRuleForm = door(() => import('./rule-actions.js'), 'openRuleForm');
