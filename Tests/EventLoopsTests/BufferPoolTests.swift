@testable import ProxydEventLoops
import Testing

struct BufferPoolTests {
    @Test func `a spare buffer is handed out once, empty and with its capacity preserved`() {
        var pool = BufferPool()
        pool.keep([UInt8](repeating: 1, count: 10_000))
        let (first, second) = (pool.take(), pool.take())
        #expect(first.isEmpty && first.capacity >= 10_000)
        #expect(second.capacity == 0)
    }

    @Test func `the number of small spare buffers is limited`() {
        var pool = BufferPool()
        for _ in 0..<1_000 { pool.keep([UInt8](repeating: 1, count: 100)) }
        let held = BufferPoolTests.drain(&pool)
        #expect(held >= 32 * 100 && held <= 64 * 200)
    }

    @Test func `the total size of large spare buffers is limited, and taking one frees its share`()
    {
        var pool = BufferPool()
        for _ in 0..<2 {
            for _ in 0..<100 { pool.keep([UInt8](repeating: 1, count: 300_000)) }
            let held = BufferPoolTests.drain(&pool)
            #expect(held >= 900_000 && held <= 2 << 20)
        }
    }

    @Test func `a buffer that has grown too large is not kept as a spare`() {
        var pool = BufferPool()
        pool.keep([UInt8](repeating: 1, count: 600_000))
        let taken = pool.take()
        #expect(taken.capacity == 0)
    }

    /// Bytes of all that is kept.
    private static func drain(_ pool: inout BufferPool) -> Int {
        var total = 0
        while case let buffer = pool.take(), buffer.capacity > 0 { total += buffer.capacity }
        return total
    }
}
