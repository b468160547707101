import ProxydConfinement
import Testing

struct ConfinedCommandTests {
    private static func command(
        _ confinement: ConfinedCommand.Confinement, _ words: [String] = ["python3", "hook.py"]
    ) -> ConfinedCommand {
        ConfinedCommand(
            words, in: "/etc/a=b", scratch: "/var/scratch", readable: ["/srv/x", "/srv/-- y"],
            hidden: ["/var/data", "/etc/key=1"], confinement: confinement)
    }

    @Test(arguments: [
        command(.none), command(.confined(usesNetwork: false)),
        command(.confined(usesNetwork: true)), command(.none, ["a", "--", "all=", "--confine"]),
    ])
    func `a confined command is unchanged after being encoded as arguments and decoded`(
        command: ConfinedCommand
    ) {
        #expect(ConfinedCommand(arguments: command.arguments) == command)
    }

    @Test
    func `limits of a confined command survive encoding as arguments; bad limits are rejected`() {
        let command = ConfinedCommand(
            ["ls"], in: "/", scratch: "/", readable: [], hidden: [], confinement: .none,
            limits: .init(memoryByteCount: 2 << 30, computingSeconds: 600, processCount: 9))
        #expect(ConfinedCommand(arguments: command.arguments) == command)
        #expect(ConfinedCommandTests.command(.none).limits == nil)
        for name in ["memory=", "time=", "processes="] {
            let odd = command.arguments.map { $0.hasPrefix(name) ? name + "x" : $0 }
            #expect(ConfinedCommand(arguments: odd) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        [], ["--listen", "127.0.0.1:0"], ["--confine"], ["--confine", "--", "ls"],
        ["--confine", "directory=/", "scratch=/", "hidden=/"],
        ["--confine", "directory=/", "scratch=/", "hidden=/", "--"],
        ["--confine", "directory=/", "scratch=/", "hidden=/", "odd", "--", "ls"],
    ])
    func `arguments that do not encode a confined command are rejected`(arguments: [String]) {
        #expect(ConfinedCommand(arguments: arguments) == nil)
    }

    @Test
    func `a confined command gets fixed environment variables, with its scratch folder as HOME`() {
        let environment = ConfinedCommandTests.command(.none).environment
        let names = environment.map { $0.prefix { $0 != "=" } }
        #expect(names == ["PATH", "LANG", "HOME", "TMPDIR", "PYTHONUNBUFFERED"])
        #expect(environment.contains("HOME=/var/scratch"))
    }

    @Test func `a path inside a folder that is hidden from a confined program is hidden too`() {
        #expect(ConfinedCommand.isHidden("/usr/bin", by: "/usr"))
        #expect(ConfinedCommand.isHidden("/usr", by: "/usr/"))
        #expect(ConfinedCommand.isHidden("/usr/../usr/bin", by: "/usr"))
        #expect(!ConfinedCommand.isHidden("/usr", by: "/usr/bin"))
        #expect(!ConfinedCommand.isHidden("/usr/bin", by: "/us"))
    }
}
