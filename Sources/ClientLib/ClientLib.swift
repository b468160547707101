// The client library's place: sessions, requests, replay of captured exchanges, over the same
// Transport and with the same HTTPModel as the proxy. There is nothing here yet.
