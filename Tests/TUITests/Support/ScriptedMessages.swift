import ProxydCaptureModel
import ProxydHTTPModel
import ProxydProtobuf
import Synchronization

/// Messages out of memory, served as a store serves them.
final class ScriptedMessages: Sendable {
    private let state = Mutex<[ExchangeID: [MessageRow]]>([:])
    /// What describes messages of gRPC.
    let descriptors: DescriptorRegistry
    private let asked = Mutex<[Int]>([])

    /// Messages, and files that describe those of gRPC.
    init(_ files: [FileDescriptor] = []) { descriptors = DescriptorRegistry(files) }

    /// How many messages each page had that was asked for.
    var pageCounts: [Int] { asked.withLock { $0 } }

    /// Puts messages behind those of an exchange.
    func add(_ rows: [MessageRow], to id: ExchangeID) {
        state.withLock { $0[id, default: []] += rows }
    }

    func page(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) -> [MessageRow] {
        let all = state.withLock { $0[id] ?? [] }
        let found: [MessageRow] =
            switch page {
            case .oldest: Array(all.prefix(limit))
            case .newest: all.suffix(limit).reversed()
            case .after(let position): Array(all.drop { $0.position <= position }.prefix(limit))
            case .before(let position):
                all.prefix { $0.position < position }.suffix(limit).reversed()
            case .at(let position): all.filter { $0.position == position }
            }
        asked.withLock { $0.append(found.count) }
        return found.map { row in
            var row = row
            row.bytes = Array(row.bytes.prefix(byteCountMax))
            return row
        }
    }

    /// How many messages carry data.
    func dataCount(of id: ExchangeID) -> Int64 {
        state.withLock { Int64(($0[id] ?? []).count { $0.kind.isData }) }
    }

    func last(of id: ExchangeID) -> Int64? { state.withLock { $0[id]?.last?.position } }
}
