internal import HTTPModel

extension ExchangeUpdate {
    /// The update as several that each fit one line of the protocol: body octets in pieces, the
    /// final state in the last. One update where everything fits.
    func pieces(bodyByteCountMax: Int) -> [ExchangeUpdate] {
        let requestPieces = Self.cut(requestBody.appended, bodyByteCountMax)
        let responsePieces = Self.cut(responseBody.appended, bodyByteCountMax)
        guard requestPieces.count + responsePieces.count > 2 else { return [self] }
        var pieces: [ExchangeUpdate] = []
        var head = self
        head.state = .active
        head.failure = nil
        head.requestBody.appended = []
        head.requestBody.isComplete = false
        head.responseBody.appended = []
        head.responseBody.isComplete = false
        pieces.append(head)
        for octets in requestPieces { pieces.append(bare { $0.requestBody.appended = octets }) }
        for octets in responsePieces { pieces.append(bare { $0.responseBody.appended = octets }) }
        pieces.append(
            bare {
                $0.state = state
                $0.failure = failure
                $0.requestBody.isComplete = requestBody.isComplete
                $0.responseBody.isComplete = responseBody.isComplete
            })
        return pieces
    }

    /// A later update of the same exchange: counts and timeline of this one, nothing appended.
    private func bare(_ change: (inout ExchangeUpdate) -> Void) -> ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: false)
        update.clientConnection = clientConnection
        update.serverConnection = serverConnection
        update.requestBody.byteCount = requestBody.byteCount
        update.responseBody.byteCount = responseBody.byteCount
        change(&update)
        return update
    }

    private static func cut(_ octets: [UInt8], _ byteCountMax: Int) -> [[UInt8]] {
        guard octets.count > byteCountMax else { return [octets] }
        return stride(from: 0, to: octets.count, by: byteCountMax).map {
            Array(octets[$0..<min($0 + byteCountMax, octets.count)])
        }
    }
}
