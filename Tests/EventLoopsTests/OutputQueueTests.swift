@testable import ProxydEventLoops
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OutputQueueTests {
    @Test func `an output queue returns bytes in order for any sizes of appends and removals`()
        async throws
    {
        let isSame: Bool = try await onLoop { loop, finish in
            var queue = OutputQueue()
            var (next, expected): (UInt8, UInt8) = (0, 0)
            var isSame = true
            for round in 0..<200 {
                let piece = (0..<(round * 37 % 5_000)).map { _ in
                    next &+= 1
                    return next
                }
                queue.append(piece.span, loop: loop)
                let taken = min(queue.byteCount, round * 91 % 4_900)
                queue.withBytes { bytes in
                    for byte in bytes.prefix(taken) {
                        expected &+= 1
                        isSame = isSame && byte == expected
                    }
                }
                queue.removeFirst(taken, loop: loop)
            }
            finish(isSame && queue.byteCount > 0)
        }
        #expect(isSame)
    }

    @Test func `an emptied output queue returns its storage to the event loop for reuse`()
        async throws
    {
        let capacities: [Bool] = try await onLoop { loop, finish in
            var first = OutputQueue()
            first.append([UInt8](repeating: 1, count: 10_000).span, loop: loop)
            first.removeFirst(20_000, loop: loop)
            let spare = loop.takeSpareBuffer()
            finish([first.isEmpty, spare.isEmpty, spare.capacity >= 10_000])
        }
        #expect(capacities == [true, true, true])
    }
}
