internal import ProxydCaptureModel
internal import ProxydWebServer
internal import Synchronization

/// Keeps the store open between requests, and opens it again when its file was replaced.
final class StoreDoor: Sendable {
    private struct Opened {
        let reader: any ExchangeReading
        let identity: UInt64?
    }

    private let services: WebServices
    private let opened = Mutex<Opened?>(nil)

    init(_ services: WebServices) { self.services = services }

    /// The reader of the current store. Throws 503 if there is none yet.
    func reader() throws -> any ExchangeReading {
        let identity = services.storeIdentity()
        if let opened = opened.withLock({ $0 }), opened.identity == identity {
            return opened.reader
        }
        do {
            let reader = try services.openStore()
            opened.withLock { $0 = Opened(reader: reader, identity: identity) }
            return reader
        } catch {
            opened.withLock { $0 = nil }
            throw WebProblem(503, "\(error)")
        }
    }

    /// Reads the store for a request; the read ends when the client leaves.
    func read<Value>(
        for request: WebRequest,
        _ body: (any ExchangeReading) throws(StoreError) -> Value
    ) throws -> Value {
        let reader = try reader()
        let cancellation = ReadCancellation()
        request.cancellation.onCancel { cancellation.cancel() }
        do {
            return try cancellation.run { () throws(StoreError) in try body(reader) }
        } catch let error as StoreError {
            throw StoreDoor.problem(error)
        }
    }

    private static func problem(_ error: StoreError) -> WebProblem {
        switch error {
        case .notFound, .missing: WebProblem(404, error.description)
        case .notPermitted: WebProblem(400, error.description)
        case .cancelled: WebProblem(499, error.description)
        case .directory, .busy, .newerSchema, .foreignFile, .sqlite, .full, .noThread, .stopped:
            WebProblem(503, error.description)
        }
    }
}
