// The token that proves that the page was opened by the user: proxyctl prints it in the fragment of
// the link, which browsers never send to a server.

const KEY = 'proxyd-token';
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('proxyd-token') : null;
let token = takeFromAddress() ?? sessionStorage.getItem(KEY);

channel?.addEventListener('message', ({ data }) => {
  if (data === 'ask' && token) channel.postMessage({ token });
});

/// The token, or null.
export function currentToken() {
  return token;
}

/// Keeps the token for this tab.
export function keepToken(value) {
  token = value;
  sessionStorage.setItem(KEY, value);
}

/// Forgets a token that the server refused.
export function forgetToken() {
  token = null;
  sessionStorage.removeItem(KEY);
}

/// Asks other tabs of this page for their token, so that a link opened in a new tab works.
export function askOtherTabs() {
  return new Promise((resolve) => {
    if (!channel) return resolve(null);
    const timer = setTimeout(() => finish(null), 150);
    const finish = (value) => {
      clearTimeout(timer);
      channel.removeEventListener('message', hear);
      resolve(value);
    };
    const hear = ({ data }) => {
      if (typeof data?.token === 'string') finish(data.token);
    };
    channel.addEventListener('message', hear);
    channel.postMessage('ask');
  });
}

/// Reads a token out of a link, or takes the text for the token itself.
export function tokenIn(text) {
  return /[#&]token=([^&\s]+)/.exec(text)?.[1] ?? (/^[\w-]{20,}$/.test(text.trim()) ? text.trim() : null);
}

function takeFromAddress() {
  const found = tokenIn(location.hash);
  if (!found || !location.hash.includes('token=')) return null;
  sessionStorage.setItem(KEY, found);
  const rest = location.hash.replace(/([#&])token=[^&]*&?/, '$1').replace(/[#&]$/, '');
  history.replaceState(null, '', location.pathname + rest);
  return found;
}
