internal import ProxydCaptureModel

extension Screens {
    /// An exchange and one that repeats it, beside each other.
    static func comparison(_ original: ExchangeRow, _ replay: ExchangeRow) -> any ScreenModel {
        ComparisonScreen(original, replay)
    }
}
