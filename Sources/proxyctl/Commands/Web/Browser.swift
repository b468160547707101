/// The user's browser.
enum Browser {
    /// Opens an address if there is a desktop. A browser that cannot be started is no error: the
    /// address is printed, too.
    static func open(_ url: String) {
        let environment = Environment.current
        let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
            environment.variables[$0]?.isEmpty == false
        }
        guard isDesktop, let opener = environment.runner.find("xdg-open") else { return }
        _ = environment.runner.run(opener, [url])
    }
}
