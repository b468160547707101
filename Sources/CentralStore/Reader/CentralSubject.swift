internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydStoreCoding

/// Reads the parts of an exchange that filters ask for.
struct CentralSubject: SubjectSource {
    let id: ExchangeID
    let reader: CentralReader
    let failure: Failure

    /// The first error of a read: a filter has no way to report one, and must not be believed then.
    final class Failure {
        var error: StoreError?
    }

    var heads: StoredHeads? { read { () throws(StoreError) in try reader.heads(of: id) } }
    var responseFault: ResponseFault? {
        read { () throws(StoreError) in try reader.responseFault(of: id) } ?? nil
    }

    private func read<Value>(_ body: () throws(StoreError) -> Value) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            failure.error = failure.error ?? error
            return nil
        }
    }
    var reset: HTTP2Facts.Reset? {
        let number = read { () throws(StoreError) in
            try reader.use { connection throws(CentralError) in
                try connection.first(
                    "SELECT reset FROM exchange WHERE id = $1", [.integer(id.rawValue)]
                ) { $0.integer(0) }
            }
        }
        return (number ?? nil).flatMap(ResetCoding.reset)
    }

    func parameterValues(named name: String) -> [String?] {
        let all = read { () throws(StoreError) in try reader.parameters(of: id) } ?? []
        return all.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    func body(of side: FilterSide) -> [UInt8] {
        let part: StoredMessage = side == .request ? .request : .response
        return read { () throws(StoreError) in
            try reader.body(of: id, part, byteCountMax: .max)
        } ?? []
    }

    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
        _ = read { () throws(StoreError) in
            try reader.forEachMessagePage(of: id, byteCountMax: .max) { page in
                for message in page {
                    if let kinds = messages.kinds, !kinds.contains(message.kind) { continue }
                    if let wanted = messages.direction, wanted != message.direction { continue }
                    guard body(message) else { return false }
                }
                return true
            }
        }
    }
}
