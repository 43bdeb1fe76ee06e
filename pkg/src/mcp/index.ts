/** The Model Context Protocol in a page: tools of servers for `ask`, and the index as a tool of the browser's assistant. */
export { type OfferOptions, offerSearch, type SearchIndex } from './offer.js';
export { type McpClient, mcpTools } from './tools.js';
