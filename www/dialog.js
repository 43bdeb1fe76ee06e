// What both dialogs do beside what `dialog` does by itself.

/** Makes the close button work, and a click beside the dialog; one that began inside, to select text, does not close. */
export function setUpDialog(dialog) {
  let pressed = null;
  dialog.querySelector('[data-close]').addEventListener('click', () => dialog.close());
  dialog.addEventListener('pointerdown', (event) => {
    pressed = event.target;
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && pressed === dialog) dialog.close();
  });
}
