import Foundation

/// Texts that want to do something to a terminal.
enum HostileStrings {
    /// Our own: every control, and the known tricks.
    static let own: [String] = controls.map { "a\($0)b" } + tricks

    private static let controls = (Array(0...0x1F) + Array(0x7F...0x9F)).compactMap {
        Unicode.Scalar($0 as UInt32).map(Character.init)
    }

    private static let tricks = [
        "\u{1B}[2J\u{1B}[H", "\u{1B}]0;owned\u{7}", "\u{1B}]2;owned\u{1B}\\",
        "\u{9B}31mred\u{9B}0m",
        "\u{1B}]52;c;b3duZWQ=\u{7}", "\u{9D}52;c;b3duZWQ=\u{9C}", "\u{1B}Pq#0;2;0;0;0\u{1B}\\",
        "\u{1B}]8;;http://evil.test\u{1B}\\click\u{1B}]8;;\u{1B}\\", "\u{90}$qm\u{9C}", "\u{1B}[6n",
        "\u{1B}[c", "\u{1B}c", "\u{1B}[?1049l", "\u{1B}(0lqqk", "\u{1B}#8", "\u{1B}_Gf=100\u{1B}\\",
        "\u{1B}^pm\u{1B}\\", "\u{E}shift\u{F}", "\u{202E}txt.exe\u{202C}", "\u{2066}x\u{2069}",
        "\u{200E}\u{200F}\u{061C}", "a\u{200B}b\u{200C}c\u{200D}d\u{2060}e\u{FEFF}f", "\u{AD}",
        "\u{E000}\u{F8FF}\u{10FFFD}", "\u{FE0F}\u{FE0E}", "\u{2028}\u{2029}", "\u{FFFE}\u{FFF9}",
        "\u{E0041}\u{E007F}", "👨‍👩‍👧‍👦🏳️‍🌈", "ﷺ𒐫", "\u{1D173}", "가힣\u{1161}\u{11A8}",
        String(repeating: "\u{301}", count: 200),
        "e" + String(repeating: "\u{300}\u{489}", count: 99),
        (0..<150).map { "漢\($0)" }.joined(), (0..<400).map { "x\($0)" }.joined(), "שלום עולם",
        "%n%s%x", "`id`$(id)", "'; DROP TABLE exchanges; --", "\u{1A}\u{4}\u{3}",
    ]

    /// The big list of naughty strings, where its folder lies beside this one.
    static let bigList: [String] = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.deletingLastPathComponent().appendingPathComponent(
                "shared/vectors/strings/blns.json")
            guard let data = try? Data(contentsOf: file) else { continue }
            return (try? JSONDecoder().decode([String].self, from: data)) ?? []
        }
        return []
    }()
}
