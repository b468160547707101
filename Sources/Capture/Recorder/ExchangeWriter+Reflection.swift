internal import ProxydHTTPModel
internal import ProxydProtobuf

/// Server reflection answers, which are examined after their transaction.
extension ExchangeWriter {
    /// Notes the reflection answers among the messages of an update.
    func noteReflection(_ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange) {
        if let path = update.url?.path, ReflectionAnswer.isGiven(atPath: path) {
            exchange.reflection = ActiveExchange.Reflection()
        }
        guard var seen = exchange.reflection, !update.messages.isEmpty else { return }
        for message in update.messages
        where message.kind == .grpc && message.direction == .toClient {
            seen.byteCount = seen.byteCount.addingClamped(message.byteCount)
            seen.count += 1
            guard seen.byteCount <= ReflectionAnswers.exchangeByteCountMax,
                seen.count <= ReflectionAnswers.exchangeCountMax
            else { break }
            reflectionAnswers.append(
                ReflectionAnswers.Place(
                    exchange: update.id.rawValue, position: message.position))
        }
        exchange.reflection = seen
    }
}
