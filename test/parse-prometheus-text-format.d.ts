// The parser of Prometheus' text format comes without types.

declare module "parse-prometheus-text-format" {
  interface PrometheusSample {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value?: string;
    readonly count?: string;
  }
  interface PrometheusFamily {
    readonly name: string;
    readonly type: string;
    readonly metrics: readonly PrometheusSample[];
  }
  const parsePrometheusTextFormat: (text: string) => readonly PrometheusFamily[];
  export = parsePrometheusTextFormat;
}
