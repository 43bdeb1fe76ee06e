// Connects the elements with the page's themes, its examples and what it tells about itself.

const search = document.querySelector('ibid-search');
const ask = document.querySelector('ibid-ask');

// A handbook of medicine: the page answers an emergency by what to do at once.
ask.options = { guard: { emergency: 'answer' } };
for (const button of document.querySelectorAll('#searches button')) {
  button.addEventListener('click', () => search.open(button.textContent));
}
for (const button of document.querySelectorAll('#questions button')) {
  button.addEventListener('click', () => ask.ask(button.textContent));
}
setUpTheme();
// The part below the fold comes when the page has been painted, on a busy machine after two seconds.
const setUp = async () => (await import('./later.js')).setUpLater(search, ask);
if (window.requestIdleCallback) requestIdleCallback(setUp, { timeout: 2000 });
else setTimeout(setUp);

function setUpTheme() {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const next = { system: 'light', light: 'dark', dark: 'system' };
  const show = () => {
    button.textContent = `Theme: ${root.dataset.theme ?? 'system'}`;
  };
  button.addEventListener('click', () => {
    const theme = next[root.dataset.theme ?? 'system'];
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      if (theme === 'system') localStorage.removeItem('ibid.theme');
      else localStorage.setItem('ibid.theme', theme);
    } catch {
      // Storage is switched off; the theme holds until the page closes.
    }
    show();
  });
  show();
}
