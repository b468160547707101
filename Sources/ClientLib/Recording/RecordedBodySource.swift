internal import ProxydHTTPModel

/// Copies pieces of a request's body to a record as the network reads them.
struct RecordedBodySource: BodySource {
    private var base: any BodySource
    private let record: CallRecord

    init(_ base: any BodySource, record: CallRecord) {
        self.base = base
        self.record = record
    }

    mutating func next() async throws -> [UInt8]? {
        await record.waitForRoom()
        guard let piece = try await base.next() else {
            record.endRequest()
            return nil
        }
        record.appendRequest(piece)
        return piece
    }
}

extension BodyStream {
    /// The same body, copied to a record as it is read.
    func recorded(by record: CallRecord) -> BodyStream {
        BodyStream(byteCount: byteCount, isReplayable: isReplayable) {
            RecordedBodySource(try await open(), record: record)
        }
    }
}
