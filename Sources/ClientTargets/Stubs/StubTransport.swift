internal import ClientLib

/// A transport that answers with a sample.
struct StubTransport: ClientTransport {
    let sample: SampleResponse
    /// The delay before the response.
    let delay: Duration
    let clock: any Clock<Duration>

    func start(_ request: TransportRequest) -> any TransportCall {
        StubCall(request, stub: self)
    }

    func shutdown() {}
}
