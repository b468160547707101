internal import ArgumentParser
internal import ProxydTUI

/// A theme, by the name that users type.
enum ThemeOption: String, ExpressibleByArgument, CaseIterable {
    case light, dark, auto

    var choice: ThemeChoice {
        switch self {
        case .light: .light
        case .dark: .dark
        case .auto: .auto
        }
    }
}
