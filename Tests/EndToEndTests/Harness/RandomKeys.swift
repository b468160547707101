/// Keys at random, the same for the same seed; none of them leaves or suspends.
struct RandomKeys {
    private var numbers: SeededNumbers

    private static let special = [
        "\r", "\r", "\t", "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}[5~", "\u{1B}[6~",
        "\u{1B}[H", "\u{1B}[F", "\u{1B}[Z", "\u{1B}OP", "\u{1B}[15~", "\u{4}", "\u{15}", "\u{6}",
        "\u{2}", "\u{7F}", "\u{C}", "\u{13}", "\u{1B}y", "\u{1B}h", "\u{1B}b", "\u{1B}m",
        "\u{1B}[<0;20;9M\u{1B}[<0;20;9m", "\u{1B}[<64;20;9M", "\u{1B}[<65;20;9M",
        "\u{1B}[200~\u{202E}\u{9B}2J\u{1B}]0;x\u{7}\u{1B}[201~",
    ]
    // Neither q nor Q, and no second Escape, which would make what follows another key.
    private static let plain = "gGhjkl/fFovmU;tpyRTWSDnerXb123457JK[]xwcCNVaAsd+-=_0?:* ".map(
        String.init)

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    mutating func next() -> String {
        let all = RandomKeys.plain + RandomKeys.special
        return all[Int.random(in: 0..<all.count, using: &numbers)]
    }
}
