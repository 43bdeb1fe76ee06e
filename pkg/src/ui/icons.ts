const SPACE = 'http://www.w3.org/2000/svg';

const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16.2 16.2L21 21',
  close: 'M6 6l12 12M18 6L6 18',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9L12 16.9l-5.3 2.8 1.1-5.9-4.3-4.1 5.9-.8z',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4',
  section: 'M5 9h14M5 15h14M10 4L8 20M16 4l-2 16',
  ask: 'M4 5h16v11H9l-5 4z',
  up: 'M7 11v9H4v-9zM7 11l4-8c2 0 2.500 1.500 2 3l-1 4h6c1.500 0 2 1 2 2l-1.500 6c-.3 1-1 2-2 2H7',
  down: 'M17 13V4h3v9zM17 13l-4 8c-2 0-2.500-1.500-2-3l1-4H6c-1.500 0-2-1-2-2l1.500-6c.3-1 1-2 2-2H17',
};

/** Draws a sign, which says nothing to who cannot see it. */
export function icon(name: keyof typeof PATHS): SVGElement {
  const svg = document.createElementNS(SPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SPACE, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
