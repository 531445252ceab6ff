// The console: one page, put together from screens.

import { render } from "preact";
import { ErrorBoundary, LocationProvider, Route, Router } from "preact-iso";
import { locate } from "./lib/api";
import { follow } from "./lib/live";
import "./lib/theme";
import { Shell } from "./shell";
import { ChainScreen } from "./screens/chain";
import { ChainDefinitionScreen, ProcessDefinitionScreen } from "./screens/definition";
import { Definitions } from "./screens/definitions";
import { Entities } from "./screens/entities";
import { EntityScreen } from "./screens/entity";
import { Incidents } from "./screens/incidents";
import { Instances } from "./screens/instances";
import { LifecycleEntity } from "./screens/lifecycle";
import { Lifecycles, LifecycleType } from "./screens/lifecycles";
import { ModelScreen } from "./screens/model";
import { Nowhere } from "./screens/nowhere";
import { OverviewScreen } from "./screens/overview";
import { ProcessScreen } from "./screens/process";
import { SettingsScreen } from "./screens/settings";
import { Tables } from "./screens/tables";
import { Tasks } from "./screens/tasks";
import { Timers } from "./screens/timers";
import { WorkScreen } from "./screens/work";
import "./style/base.css";
import "./style/parts.css";
import "./style/drawing.css";

function App() {
  return (
    <LocationProvider scope={/^\/(console(\/|$)|$)/}>
      <ErrorBoundary>
        <Shell>
          <Router>
            <Route path="/" component={OverviewScreen} />
            <Route path="/console" component={OverviewScreen} />
            <Route path="/console/instances" component={Instances} />
            <Route path="/console/processes/:id" component={ProcessScreen} />
            <Route path="/console/chains/:id" component={ChainScreen} />
            <Route path="/console/incidents" component={Incidents} />
            <Route path="/console/tasks" component={Tasks} />
            <Route path="/console/work" component={WorkScreen} />
            <Route path="/console/timers" component={Timers} />
            <Route path="/console/definitions" component={Definitions} />
            <Route path="/console/definitions/process/:id" component={ProcessDefinitionScreen} />
            <Route path="/console/definitions/chain/:name/:version" component={ChainDefinitionScreen} />
            <Route path="/console/tables" component={Tables} />
            <Route path="/console/entities" component={Entities} />
            <Route path="/console/entities/:id" component={EntityScreen} />
            <Route path="/console/models/:name/:version" component={ModelScreen} />
            <Route path="/console/lifecycles" component={Lifecycles} />
            <Route path="/console/lifecycles/:type" component={LifecycleType} />
            <Route path="/console/lifecycles/:type/:id" component={LifecycleEntity} />
            <Route path="/console/settings" component={SettingsScreen} />
            <Route default component={Nowhere} />
          </Router>
        </Shell>
      </ErrorBoundary>
    </LocationProvider>
  );
}

const root = document.getElementById("app");
if (root !== null) {
  follow();
  void locate().then(() => render(<App />, root));
}
