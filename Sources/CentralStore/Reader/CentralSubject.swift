internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydStoreCoding

/// Reads the parts of an exchange that filters ask for.
struct CentralSubject: SubjectSource {
    let id: ExchangeID
    let reader: CentralReader

    var heads: StoredHeads? { try? reader.heads(of: id) }
    var responseFault: ResponseFault? { try? reader.responseFault(of: id) }
    var reset: HTTP2Facts.Reset? {
        let number: Int64?? = try? reader.use { connection throws(CentralError) in
            try connection.first(
                "SELECT reset FROM exchange WHERE id = $1", [.integer(id.rawValue)]
            ) { $0.integer(0) }
        }
        return (number ?? nil).flatMap(ResetCoding.reset)
    }

    func parameterValues(named name: String) -> [String?] {
        let all = (try? reader.parameters(of: id)) ?? []
        return all.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    func body(of side: FilterSide) -> [UInt8] {
        let part: StoredMessage = side == .request ? .request : .response
        return (try? reader.body(of: id, part, byteCountMax: .max)) ?? []
    }

    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
        _ = try? reader.forEachMessagePage(of: id, byteCountMax: .max) { page in
            for message in page {
                if let kinds = messages.kinds, !kinds.contains(message.kind) { continue }
                if let direction = messages.direction, direction != message.direction { continue }
                guard body(message) else { return false }
            }
            return true
        }
    }
}
