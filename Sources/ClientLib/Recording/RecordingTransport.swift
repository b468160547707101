public import ProxydHTTPModel

/// A transport that records every call of another transport in a sink, as one exchange each.
public final class RecordingTransport: ClientTransport {
    private let base: any ClientTransport
    private let sink: any ExchangeSink
    private let keptBodyByteCountMax: Int
    private let connections: RecordedConnections
    private let openCalls = OpenCallRecords()

    /// Records the calls of `base`; keeps at most the first `keptBodyByteCountMax` bytes of each
    /// body.
    public init(
        _ base: any ClientTransport, sink: any ExchangeSink, keptBodyByteCountMax: Int = 16 << 20
    ) {
        self.base = base
        self.sink = sink
        self.keptBodyByteCountMax = max(0, keptBodyByteCountMax)
        connections = RecordedConnections(sink: sink)
    }

    /// Starts sending and recording a request.
    public func start(_ request: TransportRequest) -> any TransportCall {
        let record = CallRecord(
            request, sink: sink, connections: connections, keptByteCountMax: keptBodyByteCountMax)
        var request = request
        request.notesFrames = true
        if case .stream(let stream) = request.payload {
            request.payload = .stream(stream.recorded(by: record))
        }
        let call = RecordedCall(base.start(request), record: record)
        openCalls.add(call)
        return call
    }

    /// Shuts down the transport whose calls are recorded.
    public func shutdown() { base.shutdown() }
}
