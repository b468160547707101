import ProxydRules
import Testing

struct ScriptPausesTests {
    private let second: Int64 = 1_000_000_000

    @Test
    func `the pause before a script restart doubles up to 30 s and is reset by a script's reply`() {
        var pauses = ScriptPauses()
        #expect(pauses.left(now: 0) == 0)
        var lengths: [Int64] = []
        for round in 0..<11 {
            pauses.ended(now: Int64(round) * 100 * second)
            lengths.append(pauses.left(now: Int64(round) * 100 * second) / 1_000_000)
        }
        #expect(
            lengths == [
                100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
            ])
        pauses.answered()
        pauses.ended(now: 2_000 * second)
        #expect(pauses.left(now: 2_000 * second) == second / 10)
        #expect(pauses.left(now: 2_001 * second) == 0)
    }
}
