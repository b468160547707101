// `import ClientLib` alone also imports the types that requests, parameters and their descriptions
// use.
@_exported public import ProxydCharsets
@_exported public import ProxydContentCoding
@_exported public import ProxydCurlCommand
@_exported public import ProxydHTTPModel
@_exported public import ProxydParameterCoding
@_exported public import ProxydPropertyLists
@_exported public import struct ProxydRedaction.Redaction
@_exported public import enum ProxydTransport.ProxyHandshakeError

// The order of the folders, and what a request and its session know of each other, are in
// docs/ARCHITECTURE.md ("The life of a client's request"). `Session`, `SessionCore` and the three
// protocols of interceptors are the one circle beyond a folder's private parts: an interceptor is
// given to a session, and is handed that session.
