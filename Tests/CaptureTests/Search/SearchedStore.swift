import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport

@testable import struct Capture.SearchFiles
@testable import class Capture.SearchBuilder
@testable import class Capture.SearchFile

/// A recorded store with search files that are filled when asked for.
struct SearchedStore {
    let store = TemporaryStore()

    var path: String { store.directory.storePath }
    var files: SearchFiles { SearchFiles(besideStore: path) }

    func builder(lagCount: Int64 = 0, exchangeCountMax: Int64 = 40) -> SearchBuilder {
        SearchBuilder(
            storePath: path, directory: store.directory.path, lagCount: lagCount,
            exchangeCountMax: exchangeCountMax)
    }

    /// Adds all there is and closes; what remains open is tested without.
    func build(_ builder: SearchBuilder) throws {
        let last = try store.reader().lastExchangeID()?.rawValue ?? 0
        while builder.step(lastExchangeID: last, isInterrupted: { false }) {}
        builder.close()
    }

    func find(
        _ text: String, _ direction: PageDirection = .newest, limit: Int = 10_000,
        with reader: StoreReader? = nil
    ) throws -> [Int64] {
        let filter = try Filter.parse(text, now: 0)
        return try (reader ?? store.reader()).rows(matching: filter, direction, limit: limit)
            .map(\.id.rawValue)
    }

    /// How many exchanges the files propose; nil where they are of no help.
    func proposedCount(_ text: String) throws -> Int? {
        let probes = try Filter.parse(text, now: 0).compile().searches
        guard !probes.isEmpty else { return nil }
        return try files.numbers.reduce(0) { count, number in
            let file = try SearchFile(number, path: files.path(number))
            return try count + (file?.candidates(probes)?.count ?? 0)
        }
    }
}

/// Bytes of gzip that hold others uncompressed.
enum StoredGzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let starts = Array(stride(from: 0, to: max(1, bytes.count), by: 0xFFFF))
        let blocks = starts.flatMap { start in
            let block = bytes[start..<min(bytes.count, start + 0xFFFF)]
            let size = [UInt8(block.count & 0xFF), UInt8(block.count >> 8 & 0xFF)]
            return [start == starts.last ? 1 : 0] + size + size.map(~) + block
        }
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + blocks
            + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { rest, _ in
                rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1
            }
        }
    }
}
