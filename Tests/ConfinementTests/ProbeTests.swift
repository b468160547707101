import Foundation
import ProxydConfinement
import ProxydTestSupport
import Testing

/// What a hostile program tries, in `Tests/ConfinementProbes`. It makes each attempt in three runs:
/// confined without the network, confined with it, and not confined.
@Suite(.enabled(if: (try? Landlock.version()) != nil, "the kernel has no Landlock"))
struct ProbeTests {
    /// The names of what a refusal looks like. Between folders with other rights, Landlock says
    /// that they are different devices.
    private static let refusals = ["EPERM", "EACCES", "ENOSYS", "EXDEV"]

    @Test(arguments: ProbeRun.listed("may-not"), [false, true])
    func `a confined program is denied each forbidden operation that the probes try`(
        probe: ProbeRun.Listed, usesNetwork: Bool
    ) throws {
        let outcome = try ProbeRun.confined(usesNetwork).outcome(of: probe.name)
        #expect(ProbeTests.refusals.contains(outcome), "\(probe.name): \(outcome)")
    }

    @Test(arguments: ProbeRun.listed("may"), [false, true])
    func `a confined program can perform each permitted operation that the probes try`(
        probe: ProbeRun.Listed, usesNetwork: Bool
    ) throws {
        #expect(try ProbeRun.confined(usesNetwork).outcome(of: probe.name) == "through")
    }

    /// Otherwise a probe would show nothing. Some fail on machines without the right or the part
    /// of the kernel.
    @Test(arguments: ProbeRun.listed("may-not").filter(\.isCertain) + ProbeRun.listed("may"))
    func `without confinement, every operation that the confinement tests try succeeds`(
        probe: ProbeRun.Listed
    ) throws {
        #expect(try ProbeRun.free.get().outcome(of: probe.name) == "through")
    }

    @Test
    func `the confinement tests try at least 90 forbidden and 25 permitted operations`() {
        #expect(ProbeRun.listed("may-not").count >= 90 && ProbeRun.listed("may").count >= 25)
        let names = ProbeRun.listed("may-not").map(\.name)
        #expect(Set(names).count == names.count)
    }
}

/// A run of all probes.
struct ProbeRun {
    /// A probe that the program says it has.
    struct Listed: CustomTestStringConvertible {
        let name: String
        /// Whether it gets through on every machine without confinement.
        let isCertain: Bool
        var testDescription: String { name }
    }

    /// A program that does not do what it should.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let withoutNetwork = Result {
        try ProbeRun(.confined(usesNetwork: false))
    }
    private static let withNetwork = Result { try ProbeRun(.confined(usesNetwork: true)) }
    static let free = Result { try ProbeRun(.none) }

    static func confined(_ usesNetwork: Bool) throws -> ProbeRun {
        try (usesNetwork ? withNetwork : withoutNetwork).get()
    }

    private static let list = Result {
        let run = try RunProgram(
            ConfinedCommand(
                [try program, "list"], in: "/", scratch: "/tmp", readable: [], hidden: [],
                confinement: .none), by: try BuiltProgram.path("proxyctl"))
        return run.output.split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 2).map(String.init)
        }
    }

    /// The probes of a kind, `may` or `may-not`.
    static func listed(_ kind: String) -> [Listed] {
        ((try? list.get()) ?? []).filter { $0.first == kind && $0.count == 3 }
            .map { Listed(name: $0[2], isCertain: $0[1] == "always") }
    }

    static var program: String {
        get throws { try BuiltProgram.ofTests("ProxydConfinementProbes") }
    }

    private let outcomes: [String: String]

    func outcome(of name: String) -> String { outcomes[name] ?? "it was not tried" }

    /// A line with a number, as text.
    static func number(from descriptor: Int32) throws -> String {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 32)
        guard poll(&ready, 1, 60_000) == 1, case let count = read(descriptor, &bytes, 32), count > 1
        else { throw Failure(description: "the program says no number") }
        return String(decoding: bytes[..<(count - 1)], as: UTF8.self)
    }

    private init(_ confinement: ConfinedCommand.Confinement) throws {
        let scratch = try ScratchFolder(mode: 0o755)
        let root = scratch.path
        for file in ["own/file", "own/spare", "own/spare-2", "own/secret", "outside/file"] {
            try scratch.write(file, "content")
        }
        try ShellProgram.make("exit 0", at: root + "/outside/program")
        for folder in ["tmp", "sockets", "data"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(folder)", withIntermediateDirectories: false)
        }
        let launcher = try BuiltProgram.path("proxyctl")
        let program = try ProbeRun.program
        func command(
            _ arguments: [String], _ confinement: ConfinedCommand.Confinement
        ) -> ConfinedCommand {
            ConfinedCommand(
                [program] + arguments, in: root + "/own", scratch: root + "/tmp",
                readable: [program], hidden: [root + "/data", root + "/own/secret"],
                confinement: confinement)
        }
        let around = try ConfinedProcess(
            command(["surround", root + "/sockets"], .none), by: launcher)
        defer { around.end(graceMilliseconds: 0) }
        let other = try ProbeRun.number(from: around.output)
        let run = try RunProgram(
            command(
                [
                    "run", root + "/own/secret", root + "/outside", root + "/own", root + "/tmp",
                    root + "/sockets", other,
                ] + (confinement == .none ? [other, other] : ["0", String(getpid())]), confinement),
            by: launcher)
        guard run.ending == .exited(0) else {
            throw Failure(description: "\(run.ending): \(run.errors)")
        }
        outcomes = Dictionary(
            run.output.split(separator: "\n").compactMap { line in
                line.lastIndex(of: " ").map {
                    (String(line[..<$0]), String(line[$0...].dropFirst()))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}
