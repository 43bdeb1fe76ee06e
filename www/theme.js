// Applies the theme that was chosen on an earlier visit. A classic script, so that it runs before the first paint.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem('ibid.theme');
  } catch {
    // Storage is switched off; the system's theme it is.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
