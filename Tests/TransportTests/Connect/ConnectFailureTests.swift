import ProxydEventLoops
import ProxydHTTPModel
import Testing

@testable import ProxydTransport

/// What is recorded if no connection to a server could be made.
struct ConnectFailureTests {
    private let target = ConnectTarget(host: "a.test", port: 80, tls: nil)

    @Test(arguments: [
        (StreamError.Kind.refused, ExchangeFailure.Kind.connectionRefused, "upstream"),
        (.timedOut, .timedOut, "upstream"), (.exhausted, .overloaded, "proxy"),
        (.unreachable, .connectFailed, "upstream"), (.reset, .connectFailed, "upstream"),
        (.notPermitted, .connectFailed, "upstream"),
    ])
    func `each kind of connection failure is attributed to the upstream or the proxy`(
        kind: StreamError.Kind, wanted: ExchangeFailure.Kind, origin: String
    ) {
        let error = StreamError(kind: kind, message: "why")
        let failure = ExchangeFailure.connecting(error, to: target)
        #expect(failure.kind == wanted && failure.origin.rawValue == origin)
        #expect(failure.message.hasPrefix("cannot connect to a.test:80: "))
    }

    @Test(arguments: [
        (HostLookupError.notFound, ExchangeFailure.Kind.nameResolution, "upstream"),
        (.temporary, .nameResolution, "upstream"), (.timedOut, .timedOut, "upstream"),
        (.overloaded, .overloaded, "proxy"), (.other("x"), .nameResolution, "upstream"),
    ])
    func `the error for a failed DNS lookup names the host`(
        error: HostLookupError, wanted: ExchangeFailure.Kind, origin: String
    ) {
        let failure = ExchangeFailure.lookup(error, host: "a.test")
        #expect(failure.kind == wanted && failure.origin.rawValue == origin)
        #expect(failure.message == "cannot look up a.test: \(error)")
    }
}
