internal import ProxydTransport

/// What the HTTP layers of one loop serve requests with. Confined to the loop.
final class HTTPParts {
    let access: UserAccess
    let pages: InfoPages
    let ports: any ExchangePorts
    let transport: HTTPTransport

    init(access: UserAccess, pages: InfoPages, ports: any ExchangePorts, transport: HTTPTransport) {
        self.access = access
        self.pages = pages
        self.ports = ports
        self.transport = transport
    }
}
