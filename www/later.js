// The parts of the page below its two boxes.

import { showHow } from './how.js';
import { setUpModel } from './model.js';
import { setUpOffline } from './offline.js';
import { setUpOwnFiles } from './own-files.js';

/** Makes them work. */
export function setUpLater(search, ask) {
  setUpModel(ask);
  setUpOwnFiles(search, ask);
  showHow(search, ask);
  setUpOffline(document.getElementById('keep'), document.getElementById('kept'));
  document.documentElement.dataset.ready = '';
}
