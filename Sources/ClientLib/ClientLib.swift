// One `import ClientLib` brings the values that requests, parameters and their descriptions are
// made of.
@_exported public import ProxydContentCoding
@_exported public import ProxydCurlCommand
@_exported public import ProxydHTTPModel
@_exported public import ProxydParameterCoding
@_exported public import enum ProxydTransport.ProxyHandshakeError
