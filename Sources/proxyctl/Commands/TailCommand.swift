internal import ArgumentParser
internal import ProxydCaptureModel
internal import ProxydFilter

/// `proxyctl tail`: prints exchanges as they are recorded.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Print exchanges as they are recorded.",
        discussion: """
            An exchange is printed when it ends; a long one is printed when it starts and again \
            when it ends. Works without a running daemon, too, and continues when the daemon is \
            restarted.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let environment = Environment.current
        let filter = try selection.filter()
        let place = try global.place()
        let reader = try place.reader(asksDaemon: false)
        let printer = try RowPrinter(reader, asJSON: json, environment)
        let watch = place.watch()
        var follower = try place.follower(filter ?? .everything)
        while environment.output.failure == nil {
            watch.wait()
            let rows = try StoreAccess.attempt { () throws(StoreError) in try follower.news() }
            for row in rows { printer.print(row) }
            if !rows.isEmpty { printer.flush() }
        }
    }
}
