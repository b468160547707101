internal import ProxydHTTPModel

/// Replaces a transport that could not be created: every call fails with the reason.
struct FailedTransport: ClientTransport {
    let error: ClientError

    func start(_ request: TransportRequest) -> any TransportCall {
        FailedCall(error: error, report: TransportReport(timeline: request.timeline))
    }

    func shutdown() {}

    private final class FailedCall: TransportCall {
        let error: ClientError
        let report: TransportReport

        init(error: ClientError, report: TransportReport) {
            self.error = error
            self.report = report
        }

        func head() async throws(ClientError) -> ResponseHead { throw error }
        func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? { throw error }
        func cancel() {}
    }
}
