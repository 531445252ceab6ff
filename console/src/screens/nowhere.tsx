import { Empty, Head } from "../parts/base";

export function Nowhere() {
  return (
    <>
      <Head title="There is nothing here" />
      <Empty>The address may be old. <a href="/">Go to the overview</a></Empty>
    </>
  );
}
