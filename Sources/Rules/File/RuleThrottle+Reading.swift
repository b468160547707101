public import ProxydConfigurationText
internal import ProxydHTTPModel

extension RuleThrottle {
    /// Reads `throttle = "slow-3g"`, or a table of numbers.
    init?(_ table: inout TableReader, in phase: RulePhase) {
        guard let node = table.node("throttle") else { return nil }
        switch node.content {
        case .string(let text):
            guard let preset = ThrottlePreset(rawValue: text.text) else {
                let names = ThrottlePreset.allCases.map(\.rawValue)
                let hint = NearMiss.hint(for: text.text, among: names)
                table.report("unknown network \(text.text)\(hint)", at: "throttle")
                return nil
            }
            guard preset != .offline || phase != .response else {
                table.report(
                    "offline is too late here: a response has already arrived", at: "throttle")
                return nil
            }
            self.init(profile: preset.profile, scope: .rule, name: preset.rawValue)
        case .table:
            guard var numbers = table.table("throttle") else { return nil }
            self.init(numbers: &numbers)
        default:
            table.report("throttle takes the name of a network or a table", at: "throttle")
            return nil
        }
    }

    /// A rate of zero would hold exchanges forever.
    private static let kbpsRange = 1...ThrottleProfile.kbpsRange.upperBound

    private init(numbers table: inout TableReader) {
        let scope = table.value("scope", as: ThrottleScope.self) ?? .rule
        let profile = ThrottleProfile(
            downKbps: RuleThrottle.number("down_kbps", RuleThrottle.kbpsRange, &table),
            upKbps: RuleThrottle.number("up_kbps", RuleThrottle.kbpsRange, &table),
            latencyMs: RuleThrottle.number("latency_ms", ThrottleProfile.latencyMsRange, &table)
                ?? 0,
            stallPercent: RuleThrottle.percent("stall_percent", &table),
            failPer10k: RuleThrottle.percent("fail_per_10k", &table),
            cutAfter: RuleThrottle.byteCount("cut_after", &table),
            seed: table.value("seed", as: Int.self).map { UInt64(bitPattern: Int64($0)) })
        table.finish()
        self.init(profile: profile, scope: scope, name: "custom")
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, _ table: inout TableReader
    ) -> Int? {
        guard let value = table.value(name, as: Int.self) else { return nil }
        guard range.contains(value) else {
            table.report("\(name): from \(range.lowerBound) to \(range.upperBound)", at: name)
            return nil
        }
        return value
    }

    private static func byteCount(_ name: String, _ table: inout TableReader) -> Int64? {
        guard let value = table.value(name, as: Int.self) else { return nil }
        if value < 0 { table.report("\(name): at least 0", at: name) }
        return Int64(value)
    }

    private static func percent(_ name: String, _ table: inout TableReader) -> Double {
        guard let value = table.value(name, as: Double.self) else { return 0 }
        if !ThrottleProfile.percentRange.contains(value) {
            table.report("\(name): from 0 to 100", at: name)
        }
        return value
    }
}

extension ThrottleScope: ConfigurationChoice {}
