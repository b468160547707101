import ProxydContentCoding
import ProxydPresentation
import Synchronization

/// What a viewer shows of bytes in memory, as a terminal prints it.
enum Viewed {
    /// The viewer of a name; the one for anything where the name is wrong.
    static func viewer(
        _ name: String, _ facts: BodyFacts, _ source: any BodySource
    ) -> any BodyViewer {
        (BodyViewers.named(name) ?? BodyViewers.hex).init(facts, source)
    }

    /// All lines as text, folds marked.
    static func lines(
        _ name: String, _ contentType: String?, _ bytes: [UInt8]
    ) -> [String] {
        var viewer = viewer(
            name, BodyFacts(contentType: contentType, bytes: bytes), LoadedBody(bytes))
        finish(&viewer)
        return text(viewer)
    }

    /// All lines of a text.
    static func text(
        _ name: String, _ contentType: String?, _ text: String
    ) -> String {
        lines(name, contentType, Array(text.utf8)).joined(separator: "\n")
    }

    static func text(_ viewer: any BodyViewer) -> [String] {
        viewer.lines(0..<viewer.lineCount).map { line in
            switch line.fold {
            case .none: "  " + line.safeText
            case .open: "▾ " + line.safeText
            case .closed: "▸ " + line.safeText
            }
        }
    }

    static func finish(_ viewer: inout any BodyViewer) {
        var stepCount = 0
        while !viewer.isComplete, stepCount < 100_000 {
            viewer.advance(byteBudget: 64 << 20)
            stepCount += 1
        }
    }
}

/// A body that becomes known as a test wishes.
final class DrippingBody: BodySource {
    private let bytes: [UInt8]
    private let known: Mutex<(byteCount: Int, isComplete: Bool)>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        known = Mutex((0, false))
    }

    func grow(to byteCount: Int) {
        let end = bytes.count
        known.withLock { $0 = (min(byteCount, end), byteCount >= end) }
    }

    var extent: BodyExtent {
        let known = known.withLock { $0 }
        return BodyExtent(
            byteCount: known.byteCount, takenByteCount: known.byteCount,
            isComplete: known.isComplete)
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        let end = min(extent.byteCount, offset + byteCount)
        return offset >= 0 && offset < end ? Array(bytes[offset..<end]) : []
    }
}

/// A body that is made while it is read, and counts what of it was.
final class CountingBody: BodySource {
    private let byteCount: Int
    private let make: @Sendable (Int) -> UInt8
    private let readCount = Mutex(0)

    init(byteCount: Int, _ make: @escaping @Sendable (Int) -> UInt8) {
        self.byteCount = byteCount
        self.make = make
    }

    var readByteCount: Int { readCount.withLock { $0 } }

    var extent: BodyExtent {
        BodyExtent(byteCount: byteCount, takenByteCount: byteCount, isComplete: true)
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard offset >= 0, offset < self.byteCount, byteCount > 0 else { return [] }
        let count = min(byteCount, self.byteCount - offset)
        readCount.withLock { $0 += count }
        return (offset..<offset + count).map(make)
    }
}

/// An origin in pieces of one size.
struct PiecewiseOrigin: BodyOrigin {
    let bytes: [UInt8]
    var pieceByteCount = 1_000

    func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + pieceByteCount)
            guard body(Array(bytes[start..<end])) else { return }
            start = end
        }
    }
}

/// A generator of numbers that a test can repeat.
struct TestNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
