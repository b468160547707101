// The tab Security: the certificates that the server showed.

import { exchangePath, json } from './api.js';
import { el } from './dom.js';
import { dateTime } from './format.js';
import { lineElements } from './lines.js';
import { pairTable } from './pairs.js';
import { section } from './section.js';
import { tokenSection } from './token-section.js';
import { tokensOf } from './tokens.js';

export async function fillSecurity(content, exchange) {
  const place = el('div', { class: 'certificates' });
  content.append(place, ...tokensOf(exchange).map(tokenSection));
  await fillCertificates(place, exchange);
}

async function fillCertificates(content, exchange) {
  try {
    const { certificates, lines } = await json(exchangePath(exchange.id, '/certificates'));
    if (exchange.tls_version) content.append(el('p', {}, `Protected by ${exchange.tls_version}.`));
    certificates?.forEach((certificate, index) => content.append(certificateSection(certificate, index)));
    if (!certificates?.length && lines?.length) content.append(el('div', { class: 'lines' }, lineElements(lines)));
    if (!certificates?.length && !lines?.length) content.append(el('p', { class: 'dim' }, 'The server showed no certificates.'));
  } catch (problem) {
    content.append(el('p', { class: problem.status === 404 ? 'dim' : 'bad' }, problem.message));
  }
}

function certificateSection(certificate, index) {
  const isOver = Date.parse(certificate.not_after) < Date.now();
  const facts = [
    ['Subject', certificate.subject], ['Issuer', certificate.issuer], ['Names', certificate.names?.join(', ')],
    ['Valid from', dateTime(certificate.not_before)],
    ['Valid until', `${dateTime(certificate.not_after)}${isOver ? ' (expired)' : ''}`],
    ['Key', certificate.key], ['Signature', certificate.signature], ['Serial number', certificate.serial],
    ['SHA-256', certificate.fingerprint],
  ];
  const title = `${index + 1}. ${certificate.subject}`;
  return section(title, pairTable(title, facts.filter(([, value]) => value)), { isOpen: index === 0 });
}
