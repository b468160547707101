import ProxydHTTPModel
import Synchronization
import Testing

@testable import ProxyLib

/// Exchanges as they are put together for `onExchange`.
struct ExchangeCollectorTests {
    @Test func `the record of a connection is kept as long as an exchange over it is in progress`()
    {
        let collected = Mutex<[Exchange]>([])
        let collector = ExchangeCollector(recorder: nil) { exchange in
            collected.withLock { $0.append(exchange) }
        }
        let first = connection(1)
        collector.record(first)
        collector.record(update(.active, over: first.id, isFirst: true))
        for number in 2...Int64(2 * ExchangeCollector.connectionCountMax) {
            collector.record(connection(number))
        }
        collector.record(update(.complete, over: first.id, isFirst: false))
        #expect(collected.withLock { $0 }.map(\.client?.id) == [first.id])

        // Once it has ended, its connection is forgotten like others.
        for number in 1...Int64(2 * ExchangeCollector.connectionCountMax) {
            collector.record(connection(20_000 + number))
        }
        collector.record(update(.complete, over: first.id, isFirst: true))
        #expect(collected.withLock { $0 }.last?.client == nil)
    }

    private func connection(_ number: Int64) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: number), side: .client, openedAt: 0,
            peerAddress: "127.0.0.1:1", localAddress: "127.0.0.1:2")
    }

    private func update(
        _ state: ExchangeState, over connection: ConnectionID, isFirst: Bool
    ) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 7), state: state, timeline: Timeline(wallStart: 0, start: 0),
            isFirst: isFirst)
        update.clientConnection = connection
        return update
    }
}
